export { signInAddress, signInPage } from './sign-in-address.ts';
export { bindToBrowser, isBound } from './sign-in-cookie.ts';
export { outcomePage, SIGN_IN_HTML, SIGN_IN_SCRIPT, SIGN_IN_STYLE } from './sign-in-page.ts';
