// Libfuncs of a class that are not audited.
import { builtinClass, Class } from '@starkbox/engine';
import { expect, test } from 'vitest';
import { auditedLater, contract, unaudited } from '../fixtures/sierra.js';

test('a class of audited libfuncs has none that is not', async () => {
  const counter = await Class.compile(JSON.stringify(await contract('counter')));
  expect(await counter.unauditedLibfunc()).toBeUndefined();
  expect(await (await builtinClass('account')).unauditedLibfunc()).toBeUndefined();
  expect(await (await builtinClass('account-cairo0')).unauditedLibfunc()).toBeUndefined();
});

test('a libfunc that is not on the list is named', async () => {
  const compiled = await Class.compile(JSON.stringify(unaudited));
  expect(await compiled.unauditedLibfunc()).toEqual({ name: 'unsafe_panic' });
});

test('a libfunc that is audited from a later Sierra on is named with it', async () => {
  const compiled = await Class.compile(JSON.stringify(auditedLater));
  expect(await compiled.unauditedLibfunc()).toEqual({ name: 'ec_neg_nz', auditedSince: '1.8.0' });
  const [major = '', , ...rest] = auditedLater.sierra_program;
  const later = { ...auditedLater, sierra_program: [major, '0x8', ...rest] };
  const allowed = await Class.compile(JSON.stringify(later));
  expect(await allowed.unauditedLibfunc()).toBeUndefined();
});
