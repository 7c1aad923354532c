// Views of the transactions: filters that have a name, some given and others saved in this browser.
import { useEffect, useRef, useState } from 'react';
import { setQuery, to, useRoute } from '../../../navigation/route.js';
import { Button, PlainButton } from '../../../parts/button.js';
import { Form, TextInput } from '../../../parts/inputs.js';
import { Link, UntrustedText } from '../../../parts/values.js';
import { createBrowserStore, useStore } from '../../../state/store.js';
import { FILTERS, filterQuery } from './filter.js';

interface View {
  readonly name: string;
  readonly query: Readonly<Record<string, string>>;
}

const GIVEN: readonly View[] = [
  { name: 'All', query: {} },
  { name: 'Failed', query: { status: 'REVERTED' } },
  { name: 'Declared', query: { type: 'DECLARE' } },
  { name: 'New accounts', query: { type: 'DEPLOY_ACCOUNT' } },
  { name: 'From L1', query: { type: 'L1_HANDLER' } },
];
const MAX_COUNT = 50;
const MAX_NAME_LENGTH = 60;

const saved = createBrowserStore('localStorage', 'starkbox.views.transactions', read);

function read(stored: unknown): readonly View[] {
  if (!Array.isArray(stored)) return [];
  return stored.slice(0, MAX_COUNT).flatMap((view: unknown): View[] => {
    if (typeof view !== 'object' || view === null) return [];
    const { name, query }: { name?: unknown; query?: unknown } = view;
    if (typeof name !== 'string' || typeof query !== 'object' || query === null) return [];
    const texts = Object.entries(query).flatMap(([key, value]): [string, string][] =>
      typeof value === 'string' ? [[key, value]] : [],
    );
    const filters = filterQuery(new URLSearchParams(texts));
    return [{ name: name.slice(0, MAX_NAME_LENGTH), query: filters }];
  });
}

/** Adds a view, or replaces the one of that name. */
function save(view: View): void {
  saved.set([...saved.get().filter(({ name }) => name !== view.name), view].slice(-MAX_COUNT));
}

const remove = (name: string): void => saved.set(saved.get().filter((view) => view.name !== name));

function rename(old: string, name: string): void {
  const others = saved.get().filter((view) => view.name === old || view.name !== name);
  saved.set(others.map((view) => (view.name === old ? { ...view, name } : view)));
}

const written = (query: View['query']): string => new URLSearchParams(query).toString();

export function Views() {
  const { query } = useRoute();
  const savedViews = useStore(saved);
  const filters = filterQuery(query);
  const now = written(filters);
  const mode = query.get('mode');
  const [editing, setEditing] = useState<'save' | 'rename' | undefined>();
  const list = useRef<HTMLElement>(null);
  /** What had the focus is gone. */
  const focusList = (): void => list.current?.querySelector('a')?.focus();
  const current = savedViews.find((view) => written(view.query) === now);
  const isGiven = GIVEN.some((view) => written(view.query) === now);
  const take = (name: string): void => {
    if (editing === 'rename' && current) rename(current.name, name);
    else save({ name, query: filters });
    setEditing(undefined);
    focusList();
  };
  return (
    <div className="views">
      <nav aria-label="Views" ref={list}>
        {[...GIVEN, ...savedViews].map((view, at) => (
          <Link
            key={at < GIVEN.length ? `given ${view.name}` : view.name}
            href={to('transactions', undefined, {
              ...view.query,
              ...(mode === null ? {} : { mode }),
            })}
            current={at < GIVEN.length ? written(view.query) === now : view === current}
          >
            {at < GIVEN.length ? (
              view.name
            ) : (
              <UntrustedText text={view.name} limit={MAX_NAME_LENGTH} />
            )}
          </Link>
        ))}
      </nav>
      {editing !== undefined ? (
        <NameForm
          key={editing}
          start={editing === 'rename' ? (current?.name ?? '') : ''}
          verb={editing === 'rename' ? 'Rename' : 'Save'}
          take={take}
          close={() => {
            setEditing(undefined);
            focusList();
          }}
        />
      ) : (
        <ViewButtons
          isNew={!current && !isGiven}
          isFiltered={now !== ''}
          edit={setEditing}
          {...(current && {
            remove: () => {
              remove(current.name);
              focusList();
            },
          })}
        />
      )}
    </div>
  );
}

interface ViewButtonsProps {
  /** Whether the filters are those of no view. */
  readonly isNew: boolean;
  readonly isFiltered: boolean;
  readonly edit: (what: 'save' | 'rename') => void;
  /** Given for a saved view. */
  readonly remove?: () => void;
}

function ViewButtons({ isNew, isFiltered, edit, remove: removeView }: ViewButtonsProps) {
  const clear = (): void => setQuery(Object.fromEntries(FILTERS.map((name) => [name, undefined])));
  return (
    <>
      {removeView && (
        <>
          <PlainButton onClick={() => edit('rename')}>Rename view</PlainButton>
          <PlainButton onClick={removeView}>Delete view</PlainButton>
        </>
      )}
      {isNew && <PlainButton onClick={() => edit('save')}>Save as view</PlainButton>}
      {isFiltered && <PlainButton onClick={clear}>Clear filters</PlainButton>}
    </>
  );
}

interface NameFormProps {
  readonly start: string;
  readonly verb: string;
  readonly take: (name: string) => void;
  readonly close: () => void;
}

function NameForm({ start, verb, take, close }: NameFormProps) {
  const [name, setName] = useState(start);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  return (
    <Form
      className="line-of"
      aria-label={`${verb} view`}
      submit={() => {
        if (name.trim() !== '') take(name.trim());
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        close();
      }}
    >
      <TextInput
        label="name of the view"
        ref={field}
        value={name}
        maxLength={MAX_NAME_LENGTH}
        change={setName}
      />
      <Button type="submit" aria-disabled={name.trim() === ''}>
        {verb}
      </Button>
      <PlainButton onClick={close}>Cancel</PlainButton>
    </Form>
  );
}
