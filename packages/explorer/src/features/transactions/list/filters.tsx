// Filters of transactions.
import {
  addressFault,
  blockFault,
  FilterChips,
  type FilterField,
} from '../../../parts/filter-chips.js';
import { TYPE_NAMES } from '../../../parts/transaction/transaction-list.js';
import { type FilterName, filterValueText, selectorIn, TYPES } from './filter.js';

const FIELDS: readonly FilterField<FilterName>[] = [
  {
    name: 'status',
    label: 'Status',
    options: [
      ['SUCCEEDED', 'succeeded'],
      ['REVERTED', 'reverted'],
    ],
  },
  { name: 'type', label: 'Type', options: TYPES.map((type) => [type, TYPE_NAMES[type] ?? type]) },
  { name: 'sender', label: 'Sender', placeholder: '0x…', isAddress: true, fault: addressFault },
  { name: 'contract', label: 'Contract', placeholder: '0x…', isAddress: true, fault: addressFault },
  {
    name: 'function',
    label: 'Function',
    placeholder: 'name or 0x…',
    fault: (text) =>
      selectorIn(text) === undefined
        ? 'A function is a name like transfer, or a selector like 0x83af….'
        : undefined,
  },
  { name: 'block', label: 'Block', placeholder: '12', fault: blockFault },
  { name: 'from', label: 'From block', placeholder: '12', fault: blockFault },
  { name: 'to', label: 'To block', placeholder: '12', fault: blockFault },
  { name: 'panic', label: 'Failure message', placeholder: 'part of the message' },
];

export function Filters() {
  return <FilterChips fields={FIELDS} textOf={filterValueText} />;
}
