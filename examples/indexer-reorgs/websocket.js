// Gives Node 20 the WebSocket that later versions have; to be imported before starknet.js, which looks for one when loaded.
import { WebSocket } from 'ws';

globalThis.WebSocket ??= WebSocket;
