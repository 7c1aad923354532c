// Elements made by code: no HTML text is parsed, so that values of a page stay text.

type Child = Node | string;

export function element<T extends keyof HTMLElementTagNameMap>(
  tag: T,
  members: Partial<HTMLElementTagNameMap[T]> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[T] {
  const created = document.createElement(tag);
  Object.assign(created, members);
  created.append(...children);
  return created;
}
