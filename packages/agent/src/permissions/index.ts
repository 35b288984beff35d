export {
  type CanUseTool,
  type CanUseToolOptions,
  checkMode,
  decidePermission,
  notAllowed,
  type PermissionMode,
  type PermissionResult,
  readPermissionResult,
} from './decide-permission.ts';
export { checkToolRules, compileToolRules, type ToolRules } from './tool-rules.ts';
