// How topics merge and split, in motion: names glide from the topic they came from, and points change their colour gradually.
const MOTION = 600; // milliseconds
let motion = null; // {began: at its first picture, labels: those shown before, model, picture: the points before}

function startMotion() {
  if (stillness.matches || !layer?.width || !layerView || !models[state.model].topics) {
    motion = null;
    return;
  }
  const picture = document.createElement("canvas");
  picture.width = layer.width;
  picture.height = layer.height;
  picture.getContext("2d").drawImage(layer, 0, 0);
  motion = { began: null, labels: placedLabels.map((label) => ({ ...label })), picture, model: state.model };
}

// How far the motion is, from 0 to 1; 1 where nothing moves.
function motionPart() {
  if (!motion) return 1;
  motion.began ??= performance.now();
  const t = clamp((performance.now() - motion.began) / MOTION, 0, 1);
  canvas.dataset.moving = t.toFixed(2);
  if (t < 1) {
    drawMap();
    return t * t * (3 - 2 * t);
  }
  motion = null;
  delete canvas.dataset.moving;
  return 1;
}

// The points as they were, and over them, ever more solid, as they are.
function paintBlended(pen, put) {
  const part = motionPart();
  if (part < 1 && motion.picture.width === layer.width) put(motion.picture);
  pen.globalAlpha = part < 1 ? part : 1;
  put(layer);
  pen.globalAlpha = 1;
}

// Labels on their way: new ones come from what they were part of, or made of; old ones go into what took their place.
function labelsInMotion(labels) {
  if (!motion || motion.model !== state.model) return labels;
  const tree = treeOf(state.model), part = motionPart();
  if (!motion) return labels;
  const kin = (node, others) => others.find((other) => other.node === node) ?? others.find((other) => covers(tree, other.node, node) || covers(tree, node, other.node));
  const between = (from, to) => ({ x: from.x + part * (to.x - from.x), y: from.y + part * (to.y - from.y), ax: from.ax + part * (to.ax - from.ax), ay: from.ay + part * (to.ay - from.ay) });
  const coming = labels.map((label) => {
    const from = kin(label.node, motion.labels);
    return from ? { ...label, ...between(from, label), alpha: from.node === label.node ? 1 : part } : { ...label, alpha: part };
  });
  const going = motion.labels.filter((label) => !labels.some(({ node }) => node === label.node)).map((label) => {
    const to = kin(label.node, labels);
    return { ...label, ...(to ? between(label, to) : {}), alpha: 1 - part };
  });
  return [...going, ...coming];
}
