// SPDX-License-Identifier: MIT
// Knows the smallest bridge there can be: ether deposited here is a balance of an L2 contract, and back.
pragma solidity ^0.8.24;

interface IMessaging {
    function sendMessageToL2(uint256 toAddress, uint256 selector, uint256[] calldata payload)
        external
        payable
        returns (bytes32, uint256);

    function consumeMessageFromL2(uint256 fromAddress, uint256[] calldata payload)
        external
        returns (bytes32);

    function startL1ToL2MessageCancellation(
        uint256 toAddress,
        uint256 selector,
        uint256[] calldata payload,
        uint256 nonce
    ) external returns (bytes32);

    function cancelL1ToL2Message(
        uint256 toAddress,
        uint256 selector,
        uint256[] calldata payload,
        uint256 nonce
    ) external returns (bytes32);
}

/// Its partner on L2, `contracts/src/bridge.cairo`, handles `[l2User, amount]` and sends `[recipient, amount]`.
contract Bridge {
    IMessaging public immutable messaging;
    uint256 public immutable l2Contract;
    uint256 public immutable depositSelector;
    /// Who made a deposit, and may cancel it, by the nonce of its message.
    mapping(uint256 => address) public depositors;

    event Deposited(address indexed from, uint256 indexed l2User, uint256 amount, uint256 nonce);
    event Withdrawn(address indexed recipient, uint256 amount);
    event DepositCancelled(address indexed from, uint256 amount, uint256 nonce);

    constructor(IMessaging messaging_, uint256 l2Contract_, uint256 depositSelector_) {
        messaging = messaging_;
        l2Contract = l2Contract_;
        depositSelector = depositSelector_;
    }

    /// Deposits for a user of L2. What the call brings beyond the amount pays for the message.
    function deposit(uint256 l2User, uint256 amount) external payable returns (uint256 nonce) {
        require(msg.value > amount, "Bridge: nothing left for the message");
        (, nonce) = messaging.sendMessageToL2{value: msg.value - amount}(
            l2Contract, depositSelector, payloadOf(l2User, amount)
        );
        depositors[nonce] = msg.sender;
        emit Deposited(msg.sender, l2User, amount, nonce);
    }

    /// Pays out a withdrawal from L2. Anybody may ask: the message says who is paid.
    function withdraw(address recipient, uint256 amount) external {
        messaging.consumeMessageFromL2(l2Contract, payloadOf(uint160(recipient), amount));
        emit Withdrawn(recipient, amount);
        pay(recipient, amount);
    }

    function startCancellation(uint256 l2User, uint256 amount, uint256 nonce) external {
        require(depositors[nonce] == msg.sender, "Bridge: not your deposit");
        messaging.startL1ToL2MessageCancellation(
            l2Contract, depositSelector, payloadOf(l2User, amount), nonce
        );
    }

    /// Gives a deposit back that L2 has not handled.
    function cancel(uint256 l2User, uint256 amount, uint256 nonce) external {
        require(depositors[nonce] == msg.sender, "Bridge: not your deposit");
        depositors[nonce] = address(0);
        messaging.cancelL1ToL2Message(
            l2Contract, depositSelector, payloadOf(l2User, amount), nonce
        );
        emit DepositCancelled(msg.sender, amount, nonce);
        pay(msg.sender, amount);
    }

    function payloadOf(uint256 user, uint256 amount) private pure returns (uint256[] memory) {
        uint256[] memory payload = new uint256[](2);
        payload[0] = user;
        payload[1] = amount;
        return payload;
    }

    function pay(address to, uint256 amount) private {
        (bool paid,) = to.call{value: amount}("");
        require(paid, "Bridge: payment failed");
    }
}
