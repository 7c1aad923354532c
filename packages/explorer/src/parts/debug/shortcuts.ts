// Keys of the debugger, as in the debuggers of browsers; Alt turns a move around.
import type { Direction } from '@starkbox/debugger';
import { useEffect } from 'react';
import { isShortcut, isTyping, shortcutText } from '../../navigation/key-events.js';
import { toggleBreakpoint } from './breakpoints.js';
import type { MarkKind, Session } from './session.js';

export type Move = 'resume' | 'over' | 'in' | 'out';

/** Letters that go to the next mark; with Shift to the previous one. */
const MARK_LETTERS: Readonly<Record<string, MarkKind>> = {
  c: 'call',
  e: 'event',
  w: 'write',
  x: 'failure',
};

export const KEYS: readonly (readonly [keys: string, does: string])[] = [
  [`F8 or ${shortcutText('Mod+\\')}`, 'resume to the next breakpoint'],
  [`F10 or ${shortcutText("Mod+'")}`, 'step over'],
  [`F11 or ${shortcutText('Mod+;')}`, 'step into'],
  [`${shortcutText('Shift+F11')} or ${shortcutText('Shift+Mod+;')}`, 'step out'],
  [`${shortcutText('Alt')} with these`, 'the same backwards'],
  ['c e w x', 'next call, event, storage write, failure'],
  ['C E W X', 'the previous one'],
  ['b', 'set or remove a breakpoint at the current line'],
  ['← →', 'on the timeline: one step of the machine'],
  ['Page keys, Home, End', 'on the timeline: far, start, end'],
];

/** The physical key, because Alt changes the character on some systems. */
function moveOf(event: KeyboardEvent): Move | undefined {
  const isCommand = event.metaKey || event.ctrlKey;
  const { code, shiftKey } = event;
  if (code === 'F8' || (isCommand && code === 'Backslash')) return 'resume';
  if (code === 'F10' || (isCommand && code === 'Quote')) return 'over';
  if (code === 'F11' || (isCommand && code === 'Semicolon')) return shiftKey ? 'out' : 'in';
  return undefined;
}

export function runMove(session: Session, move: Move, direction: Direction): void {
  if (move === 'resume') session.resume(direction);
  else session.step(move, direction);
}

function pressLetter(event: KeyboardEvent, session: Session): boolean {
  if (!isShortcut(event)) return false;
  const kind = MARK_LETTERS[event.key.toLowerCase()];
  if (kind) {
    session.runTo(kind, event.shiftKey ? 'backward' : 'forward');
    return true;
  }
  if (event.key !== 'b') return false;
  const location = session.stack.get()?.frames[session.frameIndex.get()]?.location;
  if (location) toggleBreakpoint(location.file, location.line);
  return true;
}

export function useDebugKeys(session: Session): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || isTyping(event)) return;
      const move = moveOf(event);
      if (move) {
        event.preventDefault();
        // A key that is held down does not run ahead of what is shown.
        if (event.repeat && session.isBusy.get()) return;
        runMove(session, move, event.altKey ? 'backward' : 'forward');
      } else if (pressLetter(event, session)) event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [session]);
}
