// Declares imports of style sheets.
declare module '*.css';
