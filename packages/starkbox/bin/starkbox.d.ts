// Importing the command runs it; it exports nothing.
export {};
