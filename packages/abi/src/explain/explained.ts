// Explained transaction as the documents describe it. A JSON value.
import type {
  EXPLAINED,
  EXPLAINED_ARGUMENT,
  EXPLAINED_FRAME,
  REMEDY_ACTION,
  SOURCE_LINE,
} from '@starkbox/spec';

export type Explanation = EXPLAINED;
export type ExplainedArgument = EXPLAINED_ARGUMENT;
export type ExplainedFrame = EXPLAINED_FRAME;
export type RemedyAction = REMEDY_ACTION;
export type SourceLine = SOURCE_LINE;
export type SourceExcerpt = NonNullable<SOURCE_LINE['excerpt']>;
export type PrintedText = NonNullable<EXPLAINED['printed']>[number];
