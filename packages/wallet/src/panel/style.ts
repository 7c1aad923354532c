// Style of the panel, in a light and a dark colour scheme.

export const STYLE = `
:host { all: initial; }
dialog {
  --text: #1b2230; --quiet: #55607a; --ground: #ffffff; --sunken: #f2f4f8; --edge: #7a859c;
  --accent: #1f4fbf; --on-accent: #ffffff; --warn: #7a3b00; --warn-ground: #fff1dd;
  box-sizing: border-box; inset: 16px 16px auto auto; margin: 0; padding: 0;
  width: min(420px, calc(100vw - 32px)); max-height: calc(100vh - 32px); overflow: auto;
  border: 1px solid var(--edge); border-radius: 10px; background: var(--ground); color: var(--text);
  box-shadow: 0 12px 40px rgb(0 0 0 / .3);
  font: 14px/1.45 system-ui, sans-serif;
}
dialog::backdrop { background: rgb(10 14 24 / .35); }
@media (prefers-color-scheme: dark) {
  dialog {
    --text: #e8ecf4; --quiet: #a9b4ca; --ground: #171c28; --sunken: #222939; --edge: #7785a3;
    --accent: #9dbdff; --on-accent: #0d1526; --warn: #ffd9a8; --warn-ground: #43290a;
  }
}
header, .body, footer { padding: 12px 16px; }
header { display: flex; gap: 8px; align-items: center; color: var(--quiet); border-bottom: 1px solid var(--sunken); }
header .count { margin-left: auto; }
h2 { margin: 0 0 4px; font-size: 18px; }
h3 { margin: 0 0 6px; font-size: 14px; overflow-wrap: anywhere; }
p { margin: 0 0 10px; }
.quiet { color: var(--quiet); overflow-wrap: anywhere; }
section { margin: 0 0 10px; padding: 10px 12px; border-radius: 8px; background: var(--sunken); }
dl { margin: 0; display: grid; grid-template-columns: minmax(72px, auto) 1fr; gap: 4px 12px; }
dt { color: var(--quiet); overflow-wrap: anywhere; }
dd { margin: 0; font: 12.5px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap; }
.warning { padding: 8px 12px; border-radius: 8px; background: var(--warn-ground); color: var(--warn); overflow-wrap: anywhere; }
label { display: grid; gap: 4px; margin: 0 0 10px; }
select, button { font: inherit; border-radius: 8px; border: 1px solid var(--edge); padding: 8px 12px; color: var(--text); background: var(--ground); }
select { width: 100%; font-family: ui-monospace, monospace; font-size: 12.5px; }
footer { position: sticky; bottom: 0; display: flex; gap: 8px; background: var(--ground); border-top: 1px solid var(--sunken); }
button { flex: 1; cursor: pointer; font-weight: 600; }
button:disabled { cursor: default; opacity: .7; }
button.approve { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
`;
