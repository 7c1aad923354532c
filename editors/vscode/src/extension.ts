// The extension: starts the adapter, and gives commands that open a transaction or the bundle of a failed test.
import * as vscode from 'vscode';
import {
  adapterCommand,
  type Launch,
  launchOf,
  launchOfLink,
  newestBundle,
  TYPE,
  transactionIn,
} from './debug-session.js';

const HASH = /^0x[0-9a-fA-F]{1,64}$/;

function settings(): { readonly url: string | undefined; readonly command: readonly string[] } {
  const values = vscode.workspace.getConfiguration('starkbox');
  return { url: values.get<string>('url'), command: values.get<string[]>('command') ?? [] };
}

/** Fills in what a configuration leaves out. */
const CONFIGURATIONS: vscode.DebugConfigurationProvider = {
  async resolveDebugConfiguration(folder, configuration) {
    const { url } = settings();
    const hasTarget = ['transaction', 'bundle', 'requestFile'].some((name) => configuration[name]);
    const transaction = hasTarget ? undefined : await askTransaction();
    if (!hasTarget && transaction === undefined) return undefined;
    return {
      ...(url ? { url } : {}),
      ...(folder ? { cwd: folder.uri.fsPath } : {}),
      ...configuration,
      ...(transaction === undefined ? {} : { transaction }),
      type: TYPE,
      request: configuration.request || 'launch',
      name: configuration.name || 'Starkbox',
    };
  },
};

const ADAPTERS: vscode.DebugAdapterDescriptorFactory = {
  createDebugAdapterDescriptor({ workspaceFolder }) {
    const folder = workspaceFolder ?? vscode.workspace.workspaceFolders?.[0];
    const path = folder?.uri.fsPath;
    const { program, args } = adapterCommand(path, settings().command);
    return new vscode.DebugAdapterExecutable(program, [...args], path ? { cwd: path } : {});
  },
};

/** Asks for a hash. The selection or the clipboard is the proposal. */
async function askTransaction(): Promise<string | undefined> {
  const editor = vscode.window.activeTextEditor;
  const selected = editor ? editor.document.getText(editor.selection) : '';
  const value = transactionIn(selected) ?? transactionIn(await vscode.env.clipboard.readText());
  const typed = await vscode.window.showInputBox({
    title: 'Debug transaction',
    prompt: 'The hash of a transaction',
    value: value ?? '',
    validateInput: (text) =>
      HASH.test(text.trim()) ? undefined : 'Type 0x and hexadecimal digits.',
  });
  return typed?.trim();
}

async function start(launch: Launch): Promise<void> {
  await vscode.debug.startDebugging(vscode.workspace.workspaceFolders?.[0], launch);
}

async function debugTransaction(): Promise<void> {
  const transaction = await askTransaction();
  if (transaction === undefined) return;
  await start(launchOf(`Transaction ${transaction.slice(0, 10)}`, { transaction }));
}

async function debugFailingTest(): Promise<void> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const bundle = newestBundle(folders);
  if (bundle === undefined) {
    await vscode.window.showInformationMessage(
      'No bundle of a failed test was found. Run the test again with @starkbox/testing.',
    );
    return;
  }
  await start(launchOf('Failing test', { bundle }));
}

async function goToPosition(): Promise<void> {
  const typed = await vscode.window.showInputBox({
    title: 'Go to position',
    prompt: 'A position of the execution; the scope Call has the current one',
    validateInput: (text) => (/^\d+$/.test(text.trim()) ? undefined : 'Type a number.'),
  });
  if (typed === undefined) return;
  const position = Number(typed.trim());
  await vscode.debug.activeDebugSession?.customRequest('starkbox/goTo', { position });
}

/** Links ask first, because any web page can open one. */
const LINKS: vscode.UriHandler = {
  async handleUri({ path, query }) {
    try {
      const launch = launchOfLink(path, query);
      const agreed = 'Debug';
      const answer = await vscode.window.showInformationMessage(
        `A link opens ${launch.name} in the debugger.`,
        { modal: true },
        agreed,
      );
      if (answer === agreed) await start(launch);
    } catch (error) {
      await vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
    }
  },
};

export function activate({ subscriptions }: vscode.ExtensionContext): void {
  subscriptions.push(
    vscode.debug.registerDebugConfigurationProvider(TYPE, CONFIGURATIONS),
    vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, ADAPTERS),
    vscode.commands.registerCommand('starkbox.debugTransaction', debugTransaction),
    vscode.commands.registerCommand('starkbox.debugFailingTest', debugFailingTest),
    vscode.commands.registerCommand('starkbox.goToPosition', goToPosition),
    vscode.commands.registerCommand('starkbox.askTransaction', askTransaction),
    vscode.window.registerUriHandler(LINKS),
  );
}
