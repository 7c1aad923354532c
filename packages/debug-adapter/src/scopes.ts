// The scopes of a frame: its variables, its arguments, the storage of its contract, and its call.
import type { Debugger, StackFrame } from '@starkbox/debugger';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { type References, textVariable } from './references.js';

/** The scopes, and a sentence about variables that are missing. */
export async function scopesOf(
  debug: Debugger,
  frame: StackFrame,
  references: References,
): Promise<{ readonly scopes: DebugProtocol.Scope[]; readonly note: string | undefined }> {
  const { variables, unmapped, note } = await debug.scope(frame.index);
  const rows = variables.map((variable) => references.variable(variable));
  if (unmapped > 0)
    rows.push(textVariable('(unmapped)', `${unmapped} variables without a mapping`));
  const scopes = [
    scope('Variables', references.add(readRange(async () => rows)), {
      presentationHint: 'locals',
      namedVariables: rows.length,
    }),
    scope('Arguments', addArguments(debug, frame, references), { presentationHint: 'arguments' }),
    scope('Storage', addStorage(debug, frame, references), { expensive: true }),
    scope('Call', addCall(debug, frame, references)),
  ];
  return { scopes, note };
}

export function registersScope(debug: Debugger, references: References): DebugProtocol.Scope {
  const reference = references.add(
    readRange(async () => {
      const registers = await debug.registers();
      return Object.entries(registers ?? {}).map(([name, value]) =>
        textVariable(name, String(value)),
      );
    }),
  );
  return scope('Registers', reference, { presentationHint: 'registers' });
}

function scope(
  name: string,
  variablesReference: number,
  rest: Partial<DebugProtocol.Scope> = {},
): DebugProtocol.Scope {
  return { name, variablesReference, expensive: false, ...rest };
}

function addArguments(debug: Debugger, { runIndex }: StackFrame, references: References): number {
  return references.add(
    readRange(async () => {
      const variables = await debug.callArguments(runIndex);
      // An argument of the call may have the name of a variable.
      return variables.map(({ name, value }) => {
        const { evaluateName: _name, ...row } = references.variable({
          name,
          value,
          isParameter: true,
        });
        return row;
      });
    }),
  );
}

function addStorage(debug: Debugger, { run }: StackFrame, references: References): number {
  return references.add(
    readRange(async () => {
      const entries = await debug.storage(run.contract_address);
      return entries.map(({ key, name, value, initial, writtenAt }) => {
        const details = [
          textVariable('key', key, 'felt252'),
          textVariable('value', value, 'felt252'),
          textVariable('initial', initial, 'felt252'),
          ...(writtenAt === undefined ? [] : [textVariable('written at', String(writtenAt))]),
        ];
        return {
          name: name ?? key,
          value: value === initial ? value : `${value} (was ${initial})`,
          type: 'felt252',
          evaluateName: `storage[${key}]`,
          variablesReference: references.add(readRange(async () => details)),
        };
      });
    }),
  );
}

function addCall(debug: Debugger, { run }: StackFrame, references: References): number {
  return references.add(
    readRange(async () => {
      const gas = await debug.gas();
      return [
        textVariable('contract', run.contract_address),
        ...(run.contract_name === undefined ? [] : [textVariable('name', run.contract_name)]),
        textVariable('class', run.class_hash),
        textVariable('caller', run.caller_address),
        textVariable('function', run.function_name ?? run.entry_point_selector),
        ...(gas === undefined ? [] : [textVariable('gas left', String(gas))]),
        ...(debug.action ? [textVariable('system call', debug.action.name)] : []),
        textVariable('position', `${debug.position} of ${debug.length - 1}`),
      ];
    }),
  );
}

/** All rows of a container, by ranges. */
function readRange(
  rows: () => Promise<readonly DebugProtocol.Variable[]>,
): (first: number, count: number | undefined) => Promise<readonly DebugProtocol.Variable[]> {
  return async (first, count) =>
    (await rows()).slice(first, count === undefined ? undefined : first + count);
}
