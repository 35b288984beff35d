import { Document } from 'flexsearch';

export const flexsearch = {
  name: 'FlexSearch',
  build({ documents, fields }) {
    const index = new Document({ document: { id: 'id', index: [...fields] }, tokenize: 'strict' });
    for (const document of documents) index.add(document);
    return index;
  },
  /** `suggest` finds documents with some of the words, as the others do; the limit is one per field. */
  search: (index, query) =>
    index
      .search(query, { limit: 10, suggest: true, merge: true })
      .slice(0, 10)
      .map((hit) => hit.id),
};
