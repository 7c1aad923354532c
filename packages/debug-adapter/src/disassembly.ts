// Instructions of a run, as an editor reads them.
import type { Debugger } from '@starkbox/debugger';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { SourceFiles } from './source-files.js';

/** A memory reference is the run in its upper bits, and the offset of the instruction. */
const RUN_BITS = 32n;

export async function disassemble(
  debug: Debugger,
  {
    memoryReference,
    offset = 0,
    instructionOffset = 0,
    instructionCount,
  }: DebugProtocol.DisassembleArguments,
  { files, lineOf }: { readonly files: SourceFiles; readonly lineOf: (line: number) => number },
): Promise<DebugProtocol.DisassembledInstruction[]> {
  const address = BigInt(memoryReference) + BigInt(offset);
  const runIndex = Number(address >> RUN_BITS);
  const pc = Number(BigInt.asUintN(Number(RUN_BITS), address));
  const before = Math.max(0, -instructionOffset);
  const count = Math.max(0, instructionOffset) + instructionCount;
  const read = await debug.disassemble(runIndex, pc, before, count);
  const instructions: DebugProtocol.DisassembledInstruction[] = [];
  for (const { pc: at, text, location } of read.slice(Math.max(0, instructionOffset))) {
    const source = location ? await files.sourceOf(location) : undefined;
    instructions.push({
      address: addressOf(runIndex, at),
      instruction: text,
      ...(location && source ? { location: source, line: lineOf(location.line) } : {}),
    });
  }
  return padInstructions(instructions, { runIndex, pc, before, instructionCount });
}

export function addressOf(runIndex: number, pc: number): string {
  return `0x${((BigInt(runIndex) << RUN_BITS) + BigInt(pc)).toString(16)}`;
}

/** An editor expects as many instructions as it asked for, even beyond the ends of the program. */
function padInstructions(
  instructions: readonly DebugProtocol.DisassembledInstruction[],
  range: {
    readonly runIndex: number;
    readonly pc: number;
    readonly before: number;
    readonly instructionCount: number;
  },
): DebugProtocol.DisassembledInstruction[] {
  const { runIndex, pc, before, instructionCount } = range;
  const missing = (): DebugProtocol.DisassembledInstruction => ({
    address: addressOf(runIndex, 2 ** 32 - 1),
    instruction: '',
    presentationHint: 'invalid',
  });
  const at = instructions.findIndex(({ address }) => address === addressOf(runIndex, pc));
  const missingBefore = before > 0 && at >= 0 ? Math.max(0, before - at) : 0;
  const all = [...Array.from({ length: missingBefore }, missing), ...instructions];
  while (all.length < instructionCount) all.push(missing());
  return all.slice(0, instructionCount);
}
