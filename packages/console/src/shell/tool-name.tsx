import { Fragment, type ReactNode } from 'react';

/** A tool by its id, with the server set apart. */
export function ToolName({ id }: { readonly id: string }): ReactNode {
  const at = id.indexOf('/');
  return at < 0 ? (
    <ToolParts name={id} />
  ) : (
    <ToolParts server={id.slice(0, at)}>
      <Breakable text={id.slice(at + 1)} />
    </ToolParts>
  );
}

/** The same in two parts. Each has its own direction: Arabic and Latin names can be mixed. */
export function ToolParts(props: {
  readonly server?: string | undefined;
  readonly name?: string;
  /** The name, where parts of it are marked. */
  readonly children?: ReactNode;
}): ReactNode {
  const { server, name = '', children = <Breakable text={name} /> } = props;
  return (
    <span className="tool">
      {server === undefined ? null : (
        <>
          <span className="server">
            <bdi>{server}</bdi>/
          </span>
          {/* A long name goes on below the server before it is cut in two. */}
          <wbr />
        </>
      )}
      <bdi>{children}</bdi>
    </span>
  );
}

/** A long name breaks between its words. */
export function Breakable({ text }: { readonly text: string }): ReactNode {
  return text.split(/(?<=[_.:-])(?=[^_.:-])/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a name have no identity but their place
    <Fragment key={index}>
      {index === 0 ? null : <wbr />}
      {part}
    </Fragment>
  ));
}
