// Dialog about one request: its details, and the buttons that approve and reject it.
import { shortAddress } from '@starkbox/abi/basics';
import type { PendingRequest } from '../approvals.js';
import { type Details, detailsOf, questionOf, type Section } from '../details.js';
import { NAME } from '../discovery/identity.js';
import { WalletError } from '../errors.js';
import type { Wallet } from '../wallet.js';
import { STYLE } from './style.js';

export class RequestDialog {
  readonly #wallet: Wallet;
  readonly #request: PendingRequest;
  readonly #host: HTMLElement;
  readonly #dialog: HTMLDialogElement;
  readonly #count: HTMLElement = element('span', { className: 'count' });
  readonly #details: HTMLElement = element('div', {}, element('p', {}, 'Reading details…'));
  readonly #account: HTMLElement = element('div');
  #select: HTMLSelectElement | undefined;

  constructor(wallet: Wallet, request: PendingRequest) {
    this.#wallet = wallet;
    this.#request = request;
    this.#details.setAttribute('aria-live', 'polite');
    this.#dialog = this.#createDialog();
    this.#host = element('div');
    this.#host.dataset['starkboxWallet'] = '';
    const root = this.#host.attachShadow({ mode: 'open' });
    // A constructed sheet also holds on pages whose policy forbids inline styles.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    root.append(this.#dialog);
    document.body.append(this.#host);
    // A modal dialog is above dialogs of the page, which would make anything else inert.
    this.#dialog.showModal();
    this.#fill().catch((error: unknown) => this.#showError(error));
  }

  showCount(requests: number): void {
    this.#count.textContent = requests > 1 ? `1 of ${requests} requests` : '';
  }

  remove(): void {
    // Closing returns the focus to where it was.
    this.#dialog.close();
    this.#host.remove();
  }

  #createDialog(): HTMLDialogElement {
    const reject = (): void => this.#wallet.approvals.decide('reject', this.#request.id);
    const approve = element(
      'button',
      { type: 'button', className: 'approve', autofocus: true },
      'Approve',
    );
    approve.onclick = () => this.#approve(approve);
    const question = element('h2', { id: 'question' }, questionOf(this.#request));
    const dialog = element(
      'dialog',
      {},
      element('header', {}, `${NAME} wallet`, this.#count),
      element(
        'div',
        { className: 'body' },
        question,
        element('p', { className: 'quiet' }, `${location.host || 'This page'} asks.`),
        this.#account,
        this.#details,
      ),
      element(
        'footer',
        {},
        element('button', { type: 'button', onclick: reject }, 'Reject'),
        approve,
      ),
    );
    dialog.setAttribute('aria-labelledby', question.id);
    dialog.addEventListener('cancel', (event) => {
      event.preventDefault();
      reject();
    });
    return dialog;
  }

  async #approve(button: HTMLButtonElement): Promise<void> {
    const { session, approvals } = this.#wallet;
    button.disabled = true;
    try {
      if (this.#select?.value) await session.select(this.#select.value);
      approvals.decide('approve', this.#request.id);
    } catch (error) {
      button.disabled = false;
      this.#showError(error);
    }
  }

  async #fill(): Promise<void> {
    await this.#fillAccount();
    this.#show(await detailsOf(this.#request, this.#wallet.session));
  }

  #showError(error: unknown): void {
    const reason = error instanceof WalletError ? error.data : error;
    this.#show({ sections: [], warning: String(reason) });
  }

  /** A connection chooses the account; other requests show it. */
  async #fillAccount(): Promise<void> {
    const { session } = this.#wallet;
    const { address } = await session.signer();
    if (this.#request.method !== 'wallet_requestAccounts') {
      const row = element('p', { className: 'quiet' }, `Account ${shortAddress(address)}`);
      row.title = address;
      this.#account.replaceChildren(row);
      return;
    }
    const accounts = await session.accounts();
    const select = element(
      'select',
      {},
      ...accounts.map((value, at) => element('option', { value }, `${at}: ${shortAddress(value)}`)),
    );
    select.value = address;
    this.#select = select;
    this.#account.replaceChildren(element('label', {}, 'Account', select));
  }

  #show({ sections, warning }: Details): void {
    this.#details.replaceChildren(
      ...(warning === undefined ? [] : [element('p', { className: 'warning' }, warning)]),
      ...sections.map(sectionOf),
    );
  }
}

function sectionOf({ heading, rows }: Section): HTMLElement {
  return element(
    'section',
    {},
    ...(heading === undefined ? [] : [element('h3', {}, heading)]),
    element(
      'dl',
      {},
      ...rows.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]),
    ),
  );
}

/** Made by code: no HTML text is parsed, so that values of a page stay text. */
function element<T extends keyof HTMLElementTagNameMap>(
  tag: T,
  members: Partial<HTMLElementTagNameMap[T]> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[T] {
  const created = document.createElement(tag);
  Object.assign(created, members);
  created.append(...children);
  return created;
}
