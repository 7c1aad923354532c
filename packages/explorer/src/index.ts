// Parts of the explorer that the playground shows too, and what it needs to embed the explorer.

export { EMBEDDED_READY, type ShowPage } from './app/embedding.js';
export { applyTheme, startTheme, theme } from './app/theme.js';
export { ThemeButton } from './app/theme-button.js';
export { NamesContext, useNames } from './format/names.js';
export { Button, PlainButton } from './parts/button.js';
export {
  AbiForm,
  blankInputs,
  encodeInputs,
  fitInputs,
  focusFault,
} from './parts/forms/abi-form.js';
export { AddressBook, resolveIn, useResolve } from './parts/forms/address-book.js';
export { BrandMark, Icon } from './parts/icons.js';
export { Explained } from './parts/transaction/explanation.js';
export type { PortReply } from './rpc/port-transport.js';
export { createStore, type Store, useStore } from './state/store.js';
