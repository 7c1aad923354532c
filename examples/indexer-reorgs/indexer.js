// An indexer of token balances that survives reorgs. It stores transfers by block and deletes removed blocks.
import './websocket.js';
import { hash, num, uint256, WebSocketChannel } from 'starknet';

const TRANSFER = hash.getSelectorFromName('Transfer');

export class Indexer {
  /** Transfers by block number, in order. */
  #blocks = new Map();
  #channel;
  #watchers = new Set();
  /** The number of reorgs so far. */
  reorgs = 0;

  /**
   * @param {string} nodeUrl the WebSocket of a node
   * @param {string} token the address of the contract
   */
  static async follow(nodeUrl, token) {
    const indexer = new Indexer();
    indexer.#channel = new WebSocketChannel({ nodeUrl });
    await indexer.#channel.waitForConnection();
    // From the first block on: the node sends earlier events first.
    const events = await indexer.#channel.subscribeEvents({
      fromAddress: token,
      keys: [[TRANSFER]],
      blockIdentifier: 0,
    });
    // Reorgs and events arrive at the same handler, in order.
    events.on((notification) => {
      if ('starting_block_hash' in notification) indexer.#takeBack(notification);
      else indexer.#add(notification);
      for (const watcher of indexer.#watchers) watcher();
    });
    return indexer;
  }

  #add({ block_number, keys, data }) {
    const [, from, to] = keys.map(num.toHex);
    const amount = uint256.uint256ToBN({ low: data[0], high: data[1] });
    const transfers = this.#blocks.get(block_number) ?? [];
    this.#blocks.set(block_number, [...transfers, { from, to, amount }]);
  }

  #takeBack({ starting_block_number }) {
    this.reorgs += 1;
    for (const number of this.#blocks.keys()) {
      if (number >= starting_block_number) this.#blocks.delete(number);
    }
  }

  /** The balance of an address: received tokens minus sent tokens. */
  balanceOf(address) {
    const owner = num.toHex(address);
    let sum = 0n;
    for (const { from, to, amount } of [...this.#blocks.values()].flat()) {
      if (to === owner) sum += amount;
      if (from === owner) sum -= amount;
    }
    return sum;
  }

  /** Resolves once the condition holds. Checks it after each notification. */
  until(condition) {
    return new Promise((resolve) => {
      const watcher = () => {
        if (!condition(this)) return;
        this.#watchers.delete(watcher);
        resolve();
      };
      this.#watchers.add(watcher);
      watcher();
    });
  }

  close() {
    this.#channel.disconnect();
  }
}
