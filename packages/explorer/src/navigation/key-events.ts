// Knows whether a key that is pressed is meant for us, and whether single letters mean anything at all.

const SETTING = 'starkbox.letters';

/** Whether somebody writes, or answers a question, and wants the letter itself. */
export function isTyping({ target }: { readonly target: unknown }): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
      target.closest('dialog') !== null)
  );
}

interface Pressed {
  readonly metaKey: boolean;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly target: unknown;
}

/** Whether a bare key is one of our shortcuts. */
export function isShortcut(event: Pressed): boolean {
  return areLettersOn() && !event.metaKey && !event.ctrlKey && !event.altKey && !isTyping(event);
}

/** Enter with the key for commands: what a form is there for is done. */
export function isRun(
  event: Pick<Pressed, 'metaKey' | 'ctrlKey'> & { readonly key: string },
): boolean {
  return event.key === 'Enter' && (event.metaKey || event.ctrlKey);
}

/** Who dictates or trembles can turn them off; what has another way stays. */
export function areLettersOn(): boolean {
  return localStorage.getItem(SETTING) !== 'off';
}

export function setLetters(on: boolean): void {
  if (on) localStorage.removeItem(SETTING);
  else localStorage.setItem(SETTING, 'off');
}
