// Defines WebSocket on Node 20. Import this before starknet.js, which looks for it when it loads.
import { WebSocket } from 'ws';

globalThis.WebSocket ??= WebSocket;
