/** Heard by the frame of the page, which has the dialog. */
export const KEY_WANTED = 'quartermaster-key-wanted';

export function askForKey(): void {
  dispatchEvent(new Event(KEY_WANTED));
}
