import MiniSearch from 'minisearch';

export const minisearch = {
  name: 'MiniSearch',
  build({ documents, fields }) {
    const index = new MiniSearch({ fields, idField: 'id' });
    index.addAll(documents);
    return index;
  },
  search: (index, query) =>
    index
      .search(query, { boost: { name: 3 } })
      .slice(0, 10)
      .map((hit) => hit.id),
};
