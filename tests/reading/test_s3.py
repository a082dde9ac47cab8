"""A store that speaks S3, on this computer: the same rows as from the disk, here and on a Dask cluster."""

import json
import logging

import pytest
from small_corpus import documents

from wideangle._engines import DaskCluster, LocalProcesses
from wideangle.exceptions import DataError
from wideangle.reading import ReadingOptions, read
from wideangle.reading.opening import state_of
from wideangle.reading.to_disk import Counting, read_to_disk

pytest.importorskip("s3fs", reason="s3fs is not installed: pip install s3fs")
servers = pytest.importorskip("moto.server", reason="moto is not installed: pip install 'moto[server]'")
pytestmark = [
    pytest.mark.slow,
    # What the packages of S3 say and leave open is not ours.
    pytest.mark.filterwarnings("ignore"),
]
ROWS = [{"text": text, "label": label} for text, label in documents()]
LINES = [json.dumps(row) + "\n" for row in ROWS]


@pytest.fixture
def bucket(monkeypatch):
    """A bucket called "reviews", which is empty."""
    import boto3
    import s3fs

    server = servers.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    _, port = server.get_host_and_port()
    for name, value in {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "NO_PROXY": "127.0.0.1",
    }.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    client = boto3.client("s3")
    client.create_bucket(Bucket="reviews")
    yield lambda key, content: client.put_object(Bucket="reviews", Key=key, Body=content)
    server.stop()


@pytest.fixture
def filled(bucket, tmp_path):
    """The rows as one file and as many files, of JSON lines and of Parquet; the file here that holds them all."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    bucket("one.jsonl", "".join(LINES).encode())
    for number in range(3):
        some = ROWS[20 * number : 20 * number + 20]
        bucket(f"lines/{number}.jsonl", "".join(LINES[20 * number : 20 * number + 20]).encode())
        pq.write_table(pa.Table.from_pylist(some), tmp_path / "part.parquet", row_group_size=6)
        bucket(f"table/year={2020 + number}/part.parquet", (tmp_path / "part.parquet").read_bytes())
    (tmp_path / "one.jsonl").write_text("".join(LINES))
    return tmp_path / "one.jsonl"


URLS = ["one.jsonl", "lines", "lines/*.jsonl", "table", "table/*/*.parquet"]


def assert_same(some, others):
    assert (some.X[:] != others.X[:]).nnz == 0
    assert list(some.names) == list(others.names)
    assert some.classes.tolist() == others.classes.tolist()


@pytest.mark.parametrize("path", URLS)
def test_what_is_in_a_bucket_is_read_as_the_file(path, filled, tmp_path):
    url, expected = f"s3://reviews/{path}", read(filled)
    assert_same(read(url), expected)
    assert_same(read_to_disk(url, tmp_path / "s", counting=Counting(LocalProcesses(1), 900)), expected)


def test_a_cluster_counts_what_is_in_a_bucket(filled, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=":0",
        silence_logs=logging.CRITICAL,
    ) as cluster:
        engine = DaskCluster(cluster.scheduler_address)
        for path in ("one.jsonl", "table"):
            rows = read_to_disk(f"s3://reviews/{path}", tmp_path / f"of-{path}", counting=Counting(engine, 900))
            assert_same(rows, read(filled))


def test_an_object_that_is_replaced_is_seen(bucket, filled):
    before = state_of("s3://reviews/one.jsonl", ReadingOptions())
    folder = state_of("s3://reviews/lines", ReadingOptions())
    bucket("one.jsonl", "".join([LINES[1], LINES[0], *LINES[2:]]).encode())  # as many bytes as before
    bucket("lines/1.jsonl", "".join(LINES[:20]).encode())
    assert state_of("s3://reviews/one.jsonl", ReadingOptions()) != before
    assert state_of("s3://reviews/lines", ReadingOptions()) != folder


def test_what_is_not_there(filled):
    for url in ("s3://reviews/nothing.jsonl", "s3://nobucket/x.jsonl"):
        with pytest.raises(DataError, match=f"{url} does not exist"):
            read(url)
    with pytest.raises(DataError, match="no file matches"):
        read("s3://reviews/*.csv")
