// Table from command to the function that performs it.
import * as cast from './accounts-and-contracts.js';
import * as control from './chain-control.js';
import { checkHead } from './checks.js';
import type { Command } from './commands.js';
import type { NodeAndModel } from './node-and-model.js';
import { consume, deposit, mint, simulate, submit, transfer } from './sending.js';
import {
  countCall,
  declare,
  deployAccount,
  invoke,
  sendCall,
  transferCall,
} from './transactions.js';

/** Gives a command to the node and to the model. */
export async function perform(stage: NodeAndModel, command: Command): Promise<void> {
  const { world } = stage;
  switch (command.does) {
    case 'transfer':
      return transfer(stage, command);
    case 'count': {
      const account = cast.sender(command.from);
      const calls = [countCall(command.by)];
      if (command.pays) calls.unshift(transferCall(account.address, '0xbeef', 1n));
      return submit(stage, invoke(world, account, calls, { flaw: command.flaw, tip: 0 }));
    }
    case 'sendToL1': {
      const calls = [sendCall(command.payload)];
      const account = cast.sender(command.from);
      return submit(stage, invoke(world, account, calls, { flaw: 'none', tip: 0 }));
    }
    case 'declare': {
      const account = cast.sender(command.from);
      return submit(stage, declare(world, account, { flaw: command.flaw, tip: 0 }));
    }
    case 'deployAccount':
      return submit(stage, deployAccount(world, { flaw: command.flaw, tip: 0 }));
    case 'resend': {
      const again = stage.sent.at(-1 - command.which);
      return again && submit(stage, again);
    }
    case 'simulate':
      return simulate(stage, command);
    case 'mint':
      return mint(stage, command);
    case 'deposit':
      return deposit(stage, command);
    case 'consume':
      return consume(stage, command);
    case 'createBlock':
      return control.createBlock(stage);
    case 'wait':
      return stage.wall.pass(command.seconds, async () => {
        stage.close();
        await checkHead(stage);
      });
    case 'abort':
      return control.abort(stage, command.target);
    case 'acceptOnL1':
      return control.acceptOnL1(stage, command.target);
    case 'setTime':
      return control.setTime(stage, command);
    case 'increaseTime':
      return control.increaseTime(stage, command);
    case 'setGasPrice':
      return control.setGasPrice(stage, command);
    case 'setBalance':
    case 'setNonce':
    case 'setSlot':
    case 'deployCounter':
    case 'breakState':
      return control.applyStateDiff(stage, command);
    case 'impersonate':
    case 'stopImpersonate':
      return control.impersonate(stage, command);
    case 'autoImpersonate':
      return control.impersonateAll(stage, true);
    case 'stopAutoImpersonate':
      return control.impersonateAll(stage, false);
    case 'snapshot':
      return control.snapshot(stage);
    case 'revert':
      return control.revert(stage, command.which);
    case 'restart':
      return control.restart(stage);
  }
}
