// Buttons that do not submit a form, unless their type says so.
import type { ComponentProps } from 'react';

export function Button(props: ComponentProps<'button'>) {
  return <button type="button" className="button" {...props} />;
}

/** Button without a border, for actions inside of a text or a table. */
export function PlainButton(props: ComponentProps<'button'>) {
  return <button type="button" className="plain" {...props} />;
}
