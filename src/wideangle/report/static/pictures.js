// Rows that are pictures, drawn in grey: 16 steps from black to white.
let pixelsOfRows = null;

function pictureOfRow(d) {
  const size = data.documents?.picture;
  if (!size || !pixelsOfRows) return "";
  const { height, width } = size, area = height * width, picture = el("canvas", { class: "picture", width, height, role: "img", "aria-label": `Picture of ${nameOfDocument(d)}` });
  const pen = picture.getContext("2d"), image = pen.createImageData(width, height);
  for (let p = 0; p < area; p++) {
    const grey = 17 * pixelsOfRows[d * area + p];
    image.data.set([grey, grey, grey, 255], 4 * p);
  }
  pen.putImageData(image, 0, 0);
  return picture;
}
