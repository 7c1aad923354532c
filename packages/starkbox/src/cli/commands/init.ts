// The command `starkbox init`: loads the code of create-starkbox, which is built apart from the node.
import { existsSync } from 'node:fs';
import { UsageError } from '../../config/option.js';
import { PACKAGE_FOLDER } from '../../files/package-folder.js';
import { packageVersion } from '../../node/version.js';

/** @returns the text to print */
export async function init(choices: {
  readonly folder: string | undefined;
  readonly runner: string | undefined;
  readonly yes: boolean | undefined;
}): Promise<string> {
  const code = new URL('dist/init/code/index.js', PACKAGE_FOLDER);
  if (!existsSync(code)) {
    throw new Error(
      `${code.pathname} is missing: run npm run build:bundle, or install starkbox again`,
    );
  }
  const { newProjectCommand, InvalidOption }: NewProjects = await import(code.href);
  const { stdin, stdout } = process;
  try {
    return await newProjectCommand(choices, { stdin, stdout, version: packageVersion() });
  } catch (error) {
    if (error instanceof InvalidOption) throw new UsageError(error.message);
    throw error;
  }
}

/** Exports of create-starkbox that are used here. */
interface NewProjects {
  newProjectCommand(
    choices: Parameters<typeof init>[0],
    streams: {
      readonly stdin: NodeJS.ReadStream;
      readonly stdout: NodeJS.WriteStream;
      readonly version: string;
    },
  ): Promise<string>;
  readonly InvalidOption: new (message: string) => Error;
}
