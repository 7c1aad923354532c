// Contracts that fail. The line where a failure happens carries the mark `// fails: NAME`.
mod backtrace;
mod failing_account;
mod failing_callee;
mod failing_calls;
mod failing_library;
mod failures;
mod prints;
