// Panel beside any list: the transaction or block that the address names.
import { canonicalFelt } from '@starkbox/abi/basics';
import { to, useWholeRoute } from '../navigation/route.js';
import { SidePanel } from '../parts/side-panel.js';
import { DETAIL_PAGES } from './pages.js';

function read(id: string): readonly [page: string, id: string, label: string] | undefined {
  if (/^\d{1,15}$/.test(id)) return ['block', id, 'Block'];
  const hash = canonicalFelt(id);
  return hash === undefined ? undefined : ['tx', hash, 'Transaction'];
}

export function Beside() {
  const peeked = read(useWholeRoute().query.get('peek') ?? '');
  if (!peeked) return null;
  const [page, id, label] = peeked;
  const detail = DETAIL_PAGES.get(page);
  return (
    detail && (
      <SidePanel label={label} href={to(page, id)}>
        <detail.Page key={id} id={id} />
      </SidePanel>
    )
  );
}
