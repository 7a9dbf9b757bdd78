"""An ONNX model of one node, written by hand: the `onnx` package need not be there.

Field numbers are those of onnx.proto (ONNX IR version 8, operator set 15).
"""
FLOAT, FLOAT16 = 1, 10


def _varint(value):
    out = bytearray()
    while True:
        byte, value = value & 0x7F, value >> 7
        out.append(byte | (0x80 if value else 0))
        if not value:
            return bytes(out)


def _field(number, payload):
    """A length-delimited field: text, bytes or a message."""
    data = payload.encode() if isinstance(payload, str) else payload
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _integer(number, value):
    return _varint(number << 3) + _varint(value)


def _value_info(name, element, shape):
    dimensions = b"".join(_field(1, _integer(1, size)) for size in shape)
    tensor = _integer(1, element) + _field(2, dimensions)
    return _field(1, name) + _field(2, _field(1, tensor))


def _integers(name, values):
    """AttributeProto of type INTS (7)."""
    return _field(1, name) + b"".join(_integer(8, value) for value in values) + _integer(20, 7)


def model(operator, inputs, output, element, attributes=()):
    """Bytes of a model with one node. `inputs` and `output` are (name, shape); `attributes` are (name, integers)."""
    node = b"".join(_field(1, name) for name, _ in inputs) + _field(2, output[0]) + _field(3, "work") + _field(4, operator)
    node += b"".join(_field(5, _integers(name, values)) for name, values in attributes)
    graph = _field(1, node) + _field(2, "gauge")
    graph += b"".join(_field(11, _value_info(name, element, shape)) for name, shape in inputs)
    graph += _field(12, _value_info(output[0], element, output[1]))
    return _integer(1, 8) + _field(7, graph) + _field(8, _field(1, "") + _integer(2, 15))


