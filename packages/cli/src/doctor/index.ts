export { diagnose, diagnoseRequest } from './diagnose.ts';
