// Tests on key events, names of keys, and the setting for single-letter shortcuts.

const SETTING = 'starkbox.letters';
const IS_MAC = /Mac|iP(?:hone|ad)/.test(navigator.userAgent);

/** Whether the event comes from an input or a dialog. */
export function isTyping({ target }: { readonly target: unknown }): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
      target.closest('dialog') !== null)
  );
}

interface KeyPress {
  readonly metaKey: boolean;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly target: unknown;
}

/** Whether a key without modifiers may be a shortcut. */
export function isShortcut(event: KeyPress): boolean {
  return areLettersOn() && !event.metaKey && !event.ctrlKey && !event.altKey && !isTyping(event);
}

const MAC_KEYS: Readonly<Record<string, string>> = {
  Mod: '⌘',
  Shift: '⇧',
  Alt: '⌥',
  Enter: '↵',
};

/** A shortcut such as `Shift+Mod+Enter` as this system writes it: `⇧⌘↵` on a Mac, `Ctrl+Shift+Enter` elsewhere. */
export function shortcutText(keys: string, isMac: boolean = IS_MAC): string {
  const parts = keys.split('+');
  if (isMac) return parts.map((key) => MAC_KEYS[key] ?? key).join('');
  const keyNames = parts.map((key) => (key === 'Mod' ? 'Ctrl' : key));
  return keyNames.sort((key, other) => Number(other === 'Ctrl') - Number(key === 'Ctrl')).join('+');
}

/** ⌘Enter or Ctrl+Enter, which submits a form. */
export function isRun(
  event: Pick<KeyPress, 'metaKey' | 'ctrlKey'> & { readonly key: string },
): boolean {
  return event.key === 'Enter' && (event.metaKey || event.ctrlKey);
}

/** Speech input and tremor trigger single letters by mistake, so they can be turned off. */
export function areLettersOn(): boolean {
  return localStorage.getItem(SETTING) !== 'off';
}

export function setLetters(on: boolean): void {
  if (on) localStorage.removeItem(SETTING);
  else localStorage.setItem(SETTING, 'off');
}
