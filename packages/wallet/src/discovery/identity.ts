// Name, version and icon of the wallet.

export const ID = 'starkbox';
export const NAME = 'Starkbox';
export const VERSION = '0.1.0';

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f3b73"/><path d="M7 11.5 16 7l9 4.5v9L16 25l-9-4.5z" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round"/><path d="m7 11.5 9 4.5 9-4.5M16 16v9" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round"/></svg>';

export const ICON: `data:image/svg+xml;base64,${string}` = `data:image/svg+xml;base64,${btoa(SVG)}`;
