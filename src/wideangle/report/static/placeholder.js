// What the search field says of itself: all it can find, or as much of that as there is room for.
function fitPlaceholder(field, kinds) {
  const pen = document.createElement("canvas").getContext("2d");
  const longer = kinds.map((_, k) => `Search ${kinds.slice(0, kinds.length - k).join(", ")}${k ? " …" : ""}`);
  const fit = () => {
    const style = getComputedStyle(field), room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    field.placeholder = longer.find((text) => pen.measureText(text).width <= room) ?? "Search";
  };
  new ResizeObserver(fit).observe(field); // It is also told of the size at the start.
}
