// Puts new comments on the page as they come. The server escapes them; the browser connects again by itself.
const comments = document.getElementById("comments");
const events = new EventSource(comments.dataset.events);
events.addEventListener("comment", ({ data, lastEventId }) => {
  if (document.getElementById(`comment-${lastEventId}`) === null) comments.insertAdjacentHTML("beforeend", JSON.parse(data).html);
});
