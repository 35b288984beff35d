import type { ComponentProps, ReactNode } from 'react';

/** Sends no form unless its type says so. `look` is what the style has besides `button`: `primary`, `ghost tiny`. */
export function Button({ look = '', ...rest }: ComponentProps<'button'> & { readonly look?: string }): ReactNode {
  return <button type="button" className={`button ${look}`.trim()} {...rest} />;
}
