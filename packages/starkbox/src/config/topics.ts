// Topics of help.
import { GROUPS } from './option.js';

/** Topics besides the groups of options and the commands. */
export const FURTHER_TOPICS = {
  environment: 'Environment variables',
  config: 'Config files',
  all: 'All options',
} as const;

/** Words behind `starkbox help` that are no commands. */
export const TOPICS: readonly string[] = [...Object.keys(GROUPS), ...Object.keys(FURTHER_TOPICS)];

/** Lines of the two commands that are built into the command line. */
export const START_SUMMARY = 'Start a node (the default command)';
export const HELP_SUMMARY = 'Print help on a command or a topic';
