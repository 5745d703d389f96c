/** Documents by id: `{ id, indexedAt (seconds), title }`. */
export class DocumentIndex {
  constructor(documents = []) {
    this.documents = new Map(documents.map((document) => [document.id, document]));
  }

  add(document) {
    this.documents.set(document.id, document);
  }

  remove(id) {
    return this.documents.delete(id);
  }

  all() {
    return [...this.documents.values()];
  }
}
