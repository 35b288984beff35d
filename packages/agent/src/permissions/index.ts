export {
  type CanUseTool,
  type CanUseToolOptions,
  type PermissionResult,
  readPermissionResult,
} from './can-use-tool.ts';
export { checkToolRules } from './check-tool-rules.ts';
export { decidePermission, notAllowed, type Permission, type PermissionQuestion } from './decide-permission.ts';
export { checkMode, type PermissionMode } from './permission-mode.ts';
export { compileToolRules, type ToolRules } from './tool-rules.ts';
