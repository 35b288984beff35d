import type { ReactNode } from 'react';

/** A tool by its id, with the server set apart. */
export function ToolName({ id }: { readonly id: string }): ReactNode {
  const at = id.indexOf('/');
  return (
    <span className="tool">
      {at < 0 ? null : (
        <>
          <span className="server">{id.slice(0, at + 1)}</span>
          {/* A long name goes on below the server before it is cut in two. */}
          <wbr />
        </>
      )}
      {id.slice(at + 1)}
    </span>
  );
}
