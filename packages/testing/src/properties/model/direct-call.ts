// Calls of a branch, as its methods take and return them.
import type { CallBranch } from 'starkbox';

export type DirectCall = Parameters<CallBranch['call']>[0];

export type DirectResult = Awaited<ReturnType<CallBranch['call']>>;
