// The three charts, by plotly. Its labels know a little markup: what users wrote is escaped first.
const LABELLED = 40; // components up to which the map names each
const plain = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const brief = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
const CONFIG = { responsive: true, displaylogo: false, displayModeBar: false };

function frame(palette, changes) {
  return {
    font: { family: getComputedStyle(document.body).fontFamily, size: 13, color: palette.ink },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    margin: { l: 64, r: 24, t: 36, b: 64 },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: palette.muted, activecolor: palette.ink },
    hoverlabel: { bgcolor: palette.card, bordercolor: palette.muted, font: { color: palette.ink }, align: "left" },
    dragmode: false,
    ...changes,
  };
}

function axis(palette, title, changes) {
  return {
    title: { text: title, standoff: 8 }, gridcolor: palette.line, linecolor: palette.line, zeroline: false, automargin: true,
    fixedrange: true, ...changes,
  };
}

function segments(topics, pairs) {
  const x = [], y = [];
  for (const [i, j] of pairs) {
    x.push(topics[i].x, topics[j].x, null);
    y.push(topics[i].y, topics[j].y, null);
  }
  return { x, y, mode: "lines", type: "scatter", hoverinfo: "skip", showlegend: false };
}

const placed = (model) => model.topics.map((topic, number) => ({ topic, number })).filter(({ topic }) => topic.x !== null);

function sizes(model, nodes) {
  const amount = nodes.map(({ topic }) => topic.usage ?? topic.length);
  const most = Math.max(...amount, 1e-9);
  const widest = nodes.length > 150 ? 13 : nodes.length > LABELLED || narrow.matches ? 22 : 34;
  return amount.map((value) => 6 + (widest - 6) * Math.sqrt(value / most));
}

function hoverText(model, number) {
  const topic = model.topics[number];
  const lines = [`<b>${nameOf(model, number)}</b>`, plain(wordsOf(model, number, 6).map((w) => brief(w, 30)).join(", "))];
  if (nearest(topic) !== null) lines.push(`nearest: ${topic.near[0][0] + 1}, ${degrees(nearest(topic))} away`);
  return lines.join("<br>");
}

function mapTraces(model, palette) {
  const nodes = placed(model);
  const named = nodes.length <= LABELLED && byId("map").clientWidth > 520;
  const nodeTrace = {
    x: nodes.map(({ topic }) => topic.x), y: nodes.map(({ topic }) => topic.y),
    customdata: nodes.map(({ number }) => number),
    hovertext: nodes.map(({ number }) => hoverText(model, number)), hoverinfo: "text",
    text: nodes.map(({ number }) => plain(brief(wordsOf(model, number, 1)[0] ?? "", 16))),
    textposition: "top center", textfont: { size: 12, color: palette.ink },
    mode: named ? "markers+text" : "markers", type: "scatter", cliponaxis: false, showlegend: false,
    marker: {
      size: sizes(model, nodes),
      symbol: nodes.map(({ topic }) => (isDouble(topic) ? "diamond" : "circle")),
      color: nodes.map(({ topic }) => nearest(topic) ?? 90), cmin: 0, cmax: 90,
      colorscale: [[0, palette.close], [0.333, palette.close], [0.334, palette.middling], [1, palette.apart]],
      line: { width: 1, color: palette.muted }, opacity: 1,
    },
  };
  const links = { ...segments(model.topics, model.links), line: { color: palette.close, width: 2 } };
  const at = nodeTrace.customdata.indexOf(state.topic);
  return [links, selection(model, palette), nodeTrace, ring(nodeTrace, at, palette)];
}

function selection(model, palette) {
  const chosen = state.topic === null || model.topics[state.topic].x === null ? null : model.topics[state.topic];
  const pairs = chosen ? chosen.near.slice(0, 3).map(([other]) => [state.topic, other]) : [];
  return { ...segments(model.topics, pairs), line: { color: palette.muted, width: 1.5, dash: "dot" } };
}

function ring(nodes, at, palette) {
  return {
    x: at < 0 ? [] : [nodes.x[at]], y: at < 0 ? [] : [nodes.y[at]], mode: "markers", type: "scatter", hoverinfo: "skip",
    showlegend: false, marker: { size: (nodes.marker.size[at] ?? 0) + 12, symbol: "circle-open", color: palette.ink, line: { width: 3 } }, cliponaxis: false,
  };
}

const loaded = () => typeof Plotly !== "undefined";

function drawMap() {
  if (!loaded()) return null;
  const palette = colours(), model = models[state.model];
  const bare = { visible: false, fixedrange: narrow.matches };
  const layout = frame(palette, {
    margin: { l: 30, r: 30, t: 40, b: 30 }, hovermode: "closest", dragmode: narrow.matches ? false : "pan",
    xaxis: bare, yaxis: { ...bare, scaleanchor: "x" }, uirevision: state.model,
  });
  const config = { ...CONFIG, displayModeBar: !narrow.matches, modeBarButtons: [["zoomIn2d", "zoomOut2d", "resetScale2d", "toImage"]] };
  const drawn = Plotly.react("map", mapTraces(model, palette), layout, config);
  const map = byId("map");
  map.removeAllListeners?.("plotly_click");
  map.on("plotly_click", ({ points }) => {
    const number = points[0].customdata;
    if (number !== undefined) select(state.model, number, "map");
  });
  return drawn;
}

function drawAngles() {
  const palette = colours();
  const bins = models[0].angles.histogram.length, width = 90 / bins;
  const traces = models.map((model, i) => {
    const pairs = model.angles.histogram.reduce((sum, n) => sum + n, 0);
    return {
      type: "bar", name: plain(comparing ? model.name : "pairs"),
      x: model.angles.histogram.map((_, bin) => (bin + 0.5) * width), width,
      y: model.angles.histogram.map((n) => (pairs ? (100 * n) / pairs : 0)),
      customdata: model.angles.histogram,
      hovertemplate: `%{x}° ± ${width / 2}°: %{customdata} pairs<extra></extra>`,
      opacity: comparing ? 0.75 : 1,
      marker: {
        color: i ? palette.second : palette.first, line: { width: 1, color: i ? palette.second : palette.first },
        pattern: i ? { shape: "/", size: 6, solidity: 0.35, fgcolor: palette.second, bgcolor: "rgba(0,0,0,0)", fillmode: "overlay" } : {},
      },
    };
  });
  if (comparing) for (const trace of traces.slice(1)) trace.marker.color = "rgba(0,0,0,0)";
  const layout = frame(palette, {
    barmode: "overlay", bargap: 0, showlegend: comparing, legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", bgcolor: "rgba(0,0,0,0)" },
    xaxis: axis(palette, "angle between two of them", { range: [0, 90], ticksuffix: "°", dtick: 15 }),
    yaxis: axis(palette, "share of pairs", { ticksuffix: "%", rangemode: "tozero" }),
    shapes: [{ type: "line", x0: data.degrees, x1: data.degrees, y0: 0, y1: 1, yref: "paper", line: { color: palette.muted, dash: "dot", width: 1.5 } }],
    annotations: [{ x: data.degrees, y: 1, yref: "paper", text: "← near-duplicates", showarrow: false, xanchor: "right", yanchor: "top", font: { size: 12, color: palette.muted } }],
  });
  return Plotly.react("histogram", traces, layout, CONFIG);
}

// Mean precision of as many classes each: a line through the points.
function trend(classes, i) {
  const known = classes.filter((row) => row.precision[i] !== null && row.size > 0);
  const groups = Math.min(6, Math.floor(known.length / 3));
  const x = [], y = [];
  for (let g = 0; g < groups; g++) {
    const part = known.slice(Math.floor((g * known.length) / groups), Math.floor(((g + 1) * known.length) / groups));
    x.push(Math.exp(part.reduce((sum, row) => sum + Math.log(row.size), 0) / part.length));
    y.push(part.reduce((sum, row) => sum + row.precision[i], 0) / part.length);
  }
  return { x, y };
}

function drawTail() {
  const { classes, k } = data.tail;
  if (!classes.length) return null;
  const palette = colours();
  const traces = [];
  models.forEach((model, i) => {
    const known = classes.filter((row) => row.precision[i] !== null);
    const colour = i ? palette.second : palette.first;
    const name = plain(comparing ? model.name : "a class");
    traces.push({
      type: "scatter", mode: "markers", name, legendgroup: String(i), x: known.map((row) => row.size), y: known.map((row) => row.precision[i]),
      hovertext: known.map((row) => `<b>${plain(brief(row.label, 40))}</b><br>${plural(row.size, "document")}, precision ${row.precision[i].toFixed(2)}`),
      hoverinfo: "text", marker: { color: colour, symbol: i ? "diamond-open" : "circle", size: i ? 9 : 8, opacity: 0.65, line: { width: i ? 1.5 : 0, color: colour } },
    });
    const line = trend(classes, i);
    if (line.x.length > 1) {
      traces.push({
        ...line, type: "scatter", mode: "lines", hoverinfo: "skip", legendgroup: String(i), showlegend: !comparing, name: "mean of classes of like size",
        line: { color: colour, width: 3, dash: i ? "dash" : "solid", shape: "spline", smoothing: 0.6 },
      });
    }
  });
  const layout = frame(palette, {
    hovermode: "closest", showlegend: true, legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", bgcolor: "rgba(0,0,0,0)" },
    xaxis: axis(palette, narrow.matches ? "documents of the class" : "documents of the class (frequent on the left)", { type: "log", autorange: "reversed", dtick: "D2", tickformat: ",d" }),
    yaxis: axis(palette, `precision at ${k}`, { range: [-0.03, 1.03] }),
  });
  return Plotly.react("classes", traces, layout, CONFIG);
}

charts.push(drawMap, drawAngles, drawTail);
const drawCharts = () => (loaded() ? Promise.all(charts.map((draw) => draw())) : null);
