// Tells the compiler that a style sheet can be imported for its effect.
declare module '*.css';
