// List of the pages that the bottom bar of a narrow screen leaves out.
import { to } from '../navigation/route.js';
import { Icon } from '../parts/icons.js';
import { Heading } from '../parts/page-states.js';
import { Link } from '../parts/values.js';
import { BOTTOM, ENTRIES, useUseful } from './pages.js';

const AT_THE_FOOT = new Set(BOTTOM.map(([, page]) => page));

export function MorePage() {
  const isUseful = useUseful();
  const entries = ENTRIES.filter((entry) => !AT_THE_FOOT.has(entry.page) && isUseful(entry));
  return (
    <>
      <Heading title="More" />
      <ul className="more-pages" aria-label="More pages">
        {entries.map(({ name, page, icon, about }) => (
          <li key={page}>
            <Link href={to(page)}>
              <Icon name={icon} />
              <span className="name">{name}</span>
              <span className="soft">{about}</span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
