// Generator of pages in docs and of the manual page from the tables of options, commands and platforms and from
// the OpenRPC documents, so that they cannot differ from the node.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMAND_FACTS } from '../../packages/starkbox/dist/cli/commands/command.js';
import { ROOT } from '../cargo.mjs';
import { commandsPage } from './commands-page.mjs';
import { readDocuments } from './documents.mjs';
import { errorsPage } from './errors-page.mjs';
import { examples } from './examples.mjs';
import { manPage } from './man-page.mjs';
import { methodsPages } from './methods-page.mjs';
import { optionsPage } from './options-page.mjs';
import { versionsPage } from './versions-page.mjs';

const DOCS = join(ROOT, 'docs/reference');

mkdirSync(DOCS, { recursive: true });
writeFileSync(join(DOCS, 'options.md'), optionsPage());

const MANUAL = join(ROOT, 'packages/starkbox/man');
mkdirSync(MANUAL, { recursive: true });
writeFileSync(join(MANUAL, 'starkbox.1'), manPage());

const documents = readDocuments();
const methods = methodsPages(documents, await examples());
rmSync(join(DOCS, 'methods'), { recursive: true, force: true });
mkdirSync(join(DOCS, 'methods'));
for (const [path, text] of methods) {
  writeFileSync(join(DOCS, path), text);
}
const versions = join(DOCS, 'versions.md');
writeFileSync(versions, versionsPage(readFileSync(versions, 'utf8')));
writeFileSync(join(DOCS, 'errors.md'), errorsPage(documents));
writeFileSync(join(DOCS, 'commands.md'), commandsPage(COMMAND_FACTS));
