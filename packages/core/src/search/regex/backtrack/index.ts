// Back-references and what else no automaton can do: a machine that goes back to its last choice, with every step paid from a budget.
export { BacktrackingMachine } from './backtracking-machine.ts';
export { type GroupRegister, groupRegister, MAX_GROUPS } from './group-register.ts';
export { machineProgram } from './machine-program.ts';
