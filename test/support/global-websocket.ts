// Gives Node 20 the WebSocket that browsers and later versions of Node have. To be imported before starknet.js, which
// looks for one when it is loaded: an own one that is given to its channel is not enough for it to know an open socket.
import { WebSocket } from 'ws';

Reflect.set(globalThis, 'WebSocket', Reflect.get(globalThis, 'WebSocket') ?? WebSocket);
