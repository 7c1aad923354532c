// Saves content as a file through the browser.

export function saveFile(content: BlobPart, name: string, type?: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], type === undefined ? {} : { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
