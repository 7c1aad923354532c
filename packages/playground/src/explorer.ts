// Entry point of the frame: the explorer, on the chain of the page around it.
import '@starkbox/explorer/embedded';
