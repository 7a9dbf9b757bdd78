// Reads the data and puts the page together.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const pages = {check: checkPage, fleet: fleetPage, diagnosis: diagnosisPage, history: historyPage};
  const page = document.getElementById("page");
  page.replaceChildren(...pages[data.kind](data).filter(Boolean),
    element("footer", {}, "GPUGauge " + data.version + " (commit " + data.commit + "), exit code " + data.outcome.code));
  document.documentElement.dataset.ready = "yes";
})();
