import type { RequestRecord } from '@quartermaster/client';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';
import { COVERED_PX, showRow } from '../shell/show-row.ts';
import { useListTop } from '../shell/use-list-top.ts';

const ROW_HEIGHT = 57;

/** What is to be seen of an unfolded request at the least. */
const UNFOLDED_PX = 400;

/** Only rows in view are elements: the list holds 500 requests, and changes with each one that comes. */
export function RequestList(props: {
  readonly records: readonly RequestRecord[];
  /** The request in the address: a link shows it, wherever it is in the list. */
  readonly linked: string | undefined;
  readonly children: (record: RequestRecord) => ReactNode;
}): ReactNode {
  const { records, children } = props;
  const list = useRef<HTMLOListElement>(null);
  const top = useListTop(list);
  const virtual = useWindowVirtualizer({
    count: records.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: 4,
    scrollMargin: top ?? 0,
    scrollPaddingStart: COVERED_PX,
    getItemKey: (index) => records[index]?.id ?? index,
  });
  // Only the one that the page was opened with: what a click unfolds is where the reader is.
  const linked = useRef(props.linked);
  const linkedAt = linked.current === undefined ? -1 : records.findIndex(({ id }) => id === linked.current);
  const isPlaced = top !== undefined;
  useEffect(() => {
    if (linkedAt < 0 || !isPlaced) return;
    linked.current = undefined;
    showRow(virtual, { index: linkedAt, leastPx: UNFOLDED_PX });
  }, [linkedAt, isPlaced, virtual]);
  return (
    <ol ref={list} className="requests" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map((item) => {
        const record = records[item.index];
        return record === undefined ? null : (
          <li
            key={item.key}
            ref={virtual.measureElement}
            data-index={item.index}
            aria-setsize={records.length}
            aria-posinset={item.index + 1}
            className="tool-slot"
            style={{ transform: `translateY(${item.start - virtual.options.scrollMargin}px)` }}
          >
            {children(record)}
          </li>
        );
      })}
    </ol>
  );
}
