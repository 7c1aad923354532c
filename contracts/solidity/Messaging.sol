// SPDX-License-Identifier: MIT
// Knows the L1 side of messages between Ethereum and a Starknet chain, with the function and event
// signatures of the public networks' core contract, so that bridges run against it unchanged.
pragma solidity ^0.8.24;

/// Messages are kept as counters or fees under their hash; whoever knows a message can find it.
contract Messaging {
    /// A message that costs more than this is a mistake.
    uint256 private constant MAX_FEE = 1 ether;

    event LogMessageToL1(uint256 indexed fromAddress, address indexed toAddress, uint256[] payload);
    event LogMessageToL2(
        address indexed fromAddress,
        uint256 indexed toAddress,
        uint256 indexed selector,
        uint256[] payload,
        uint256 nonce,
        uint256 fee
    );
    event ConsumedMessageToL1(
        uint256 indexed fromAddress, address indexed toAddress, uint256[] payload
    );
    event MessageToL2CancellationStarted(
        address indexed fromAddress,
        uint256 indexed toAddress,
        uint256 indexed selector,
        uint256[] payload,
        uint256 nonce
    );
    event MessageToL2Canceled(
        address indexed fromAddress,
        uint256 indexed toAddress,
        uint256 indexed selector,
        uint256[] payload,
        uint256 nonce
    );

    /// Seconds between the wish to cancel a message and its cancellation.
    uint256 public immutable messageCancellationDelay;
    /// The nonce of the next message to L2.
    uint256 public l1ToL2MessageNonce;
    /// The fee of a message to L2 plus one; 0 for one that was never sent, or cancelled.
    mapping(bytes32 => uint256) public l1ToL2Messages;
    /// When the cancellation of a message to L2 was asked for.
    mapping(bytes32 => uint256) public l1ToL2MessageCancellations;
    /// How often a message to L1 was sent and not yet consumed.
    mapping(bytes32 => uint256) public l2ToL1Messages;

    constructor(uint256 cancellationDelay) {
        messageCancellationDelay = cancellationDelay;
    }

    function getMaxL1MsgFee() public pure returns (uint256) {
        return MAX_FEE;
    }

    // To L2.

    /// Sends a message; what comes with the call is its fee.
    function sendMessageToL2(uint256 toAddress, uint256 selector, uint256[] calldata payload)
        external
        payable
        returns (bytes32, uint256)
    {
        require(msg.value > 0, "L1_MSG_FEE_MUST_BE_GREATER_THAN_0");
        require(msg.value <= MAX_FEE, "MAX_L1_MSG_FEE_EXCEEDED");
        uint256 nonce = l1ToL2MessageNonce++;
        emit LogMessageToL2(msg.sender, toAddress, selector, payload, nonce, msg.value);
        bytes32 hash = hashToL2(msg.sender, toAddress, selector, payload, nonce);
        l1ToL2Messages[hash] = msg.value + 1;
        return (hash, nonce);
    }

    /// Begins to cancel a message of the caller's.
    function startL1ToL2MessageCancellation(
        uint256 toAddress,
        uint256 selector,
        uint256[] calldata payload,
        uint256 nonce
    ) external returns (bytes32) {
        bytes32 hash = hashToL2(msg.sender, toAddress, selector, payload, nonce);
        require(l1ToL2Messages[hash] > 0, "NO_MESSAGE_TO_CANCEL");
        l1ToL2MessageCancellations[hash] = block.timestamp;
        emit MessageToL2CancellationStarted(msg.sender, toAddress, selector, payload, nonce);
        return hash;
    }

    /// Cancels a message of the caller's, once the delay has passed. Its fee stays here.
    function cancelL1ToL2Message(
        uint256 toAddress,
        uint256 selector,
        uint256[] calldata payload,
        uint256 nonce
    ) external returns (bytes32) {
        bytes32 hash = hashToL2(msg.sender, toAddress, selector, payload, nonce);
        require(l1ToL2Messages[hash] > 0, "NO_MESSAGE_TO_CANCEL");
        uint256 asked = l1ToL2MessageCancellations[hash];
        require(asked > 0, "MESSAGE_CANCELLATION_NOT_REQUESTED");
        require(
            block.timestamp - asked >= messageCancellationDelay,
            "MESSAGE_CANCELLATION_NOT_ALLOWED_YET"
        );
        l1ToL2Messages[hash] = 0;
        emit MessageToL2Canceled(msg.sender, toAddress, selector, payload, nonce);
        return hash;
    }

    // To L1.

    /// Takes a message to the caller.
    function consumeMessageFromL2(uint256 fromAddress, uint256[] calldata payload)
        external
        returns (bytes32)
    {
        emit ConsumedMessageToL1(fromAddress, msg.sender, payload);
        return take(hashToL1(fromAddress, uint160(msg.sender), payload));
    }

    function take(bytes32 hash) private returns (bytes32) {
        require(l2ToL1Messages[hash] > 0, "INVALID_MESSAGE_TO_CONSUME");
        l2ToL1Messages[hash] -= 1;
        return hash;
    }

    // What proofs do on the public networks, anybody may do here.

    function mockSendMessageFromL2(
        uint256 fromAddress,
        uint256 toAddress,
        uint256[] calldata payload
    ) external {
        l2ToL1Messages[hashToL1(fromAddress, toAddress, payload)] += 1;
        emit LogMessageToL1(fromAddress, address(uint160(toAddress)), payload);
    }

    function mockConsumeMessageFromL2(
        uint256 fromAddress,
        uint256 toAddress,
        uint256[] calldata payload
    ) external {
        take(hashToL1(fromAddress, toAddress, payload));
        emit ConsumedMessageToL1(fromAddress, address(uint160(toAddress)), payload);
    }

    // Hashes, as both layers compute them.

    function hashToL2(
        address fromAddress,
        uint256 toAddress,
        uint256 selector,
        uint256[] calldata payload,
        uint256 nonce
    ) private pure returns (bytes32) {
        uint256 from = uint160(fromAddress);
        return keccak256(
            abi.encodePacked(from, toAddress, nonce, selector, payload.length, payload)
        );
    }

    function hashToL1(uint256 fromAddress, uint256 toAddress, uint256[] calldata payload)
        private
        pure
        returns (bytes32)
    {
        return keccak256(abi.encodePacked(fromAddress, toAddress, payload.length, payload));
    }
}
