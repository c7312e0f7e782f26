// SPDX-License-Identifier: Apache-2.0
/// What the engine of npu_top does in a clock: an act. Each belongs to one module, which says in
/// the same clock which act follows and where that one returns to.
package npu_act_pkg;

  localparam int unsigned Width = 7;
  typedef logic [Width-1:0] act_t;

  // Return is what a module says that has nothing to say: the act that was left for later follows,
  // or Pick if none was.
  localparam act_t Return      = 7'h00;

  // ---- npu_top ----
  localparam act_t Pick        = 7'h01;  // what is due first (T-TIM-3)
  localparam act_t Reset       = 7'h02;  // rows of queues are cleared
  localparam act_t Busy        = 7'h03;  // until all blocks have cleared theirs
  localparam act_t Wait        = 7'h04;  // for software
  localparam act_t Fire        = 7'h05;  // the timer of a queue
  localparam act_t LinkRan     = 7'h06;  // bursts have moved

  // ---- npu_top_host ----
  localparam act_t Host        = 7'h08;  // software asks for something
  localparam act_t Opened      = 7'h09;
  localparam act_t Rung        = 7'h0a;
  localparam act_t CqHeadSet   = 7'h0b;
  localparam act_t Resume      = 7'h0c;
  localparam act_t EndHold     = 7'h0d;
  localparam act_t Handled     = 7'h0e;
  localparam act_t Skip        = 7'h0f;
  localparam act_t Skipped     = 7'h10;
  localparam act_t Enable      = 7'h11;
  localparam act_t Priority    = 7'h12;
  localparam act_t Reorder     = 7'h13;
  localparam act_t Pause       = 7'h14;
  localparam act_t Kill        = 7'h15;
  localparam act_t KillWhere   = 7'h16;
  localparam act_t KillFree    = 7'h17;
  localparam act_t KillLeave   = 7'h18;
  localparam act_t KillEnd     = 7'h19;
  localparam act_t Killed      = 7'h1a;
  localparam act_t Terminate   = 7'h1b;

  // ---- npu_top_sqes: between SQEs, then one SQE ----
  localparam act_t Look        = 7'h20;
  localparam act_t Idle        = 7'h21;
  localparam act_t GoOn        = 7'h22;
  localparam act_t HoldPause   = 7'h23;  // a pause acts
  localparam act_t Looked      = 7'h24;
  localparam act_t Fetched     = 7'h25;
  localparam act_t Next        = 7'h26;  // what npu_sqe has said
  localparam act_t Done        = 7'h27;  // it has had its effect
  localparam act_t Fault       = 7'h28;
  localparam act_t BadSqe      = 7'h29;
  localparam act_t Retire      = 7'h2a;
  localparam act_t RetireFull  = 7'h2b;
  localparam act_t Retired     = 7'h2c;
  localparam act_t Unshared    = 7'h2d;
  localparam act_t HeadMoved   = 7'h2e;
  localparam act_t Report      = 7'h2f;
  localparam act_t ReportFull  = 7'h30;
  localparam act_t Reported    = 7'h31;
  localparam act_t ReportLeave = 7'h32;
  localparam act_t Failed      = 7'h33;

  // ---- npu_top_slotting ----
  localparam act_t Ask         = 7'h38;  // for a slot; operation: npu_top_pkg::Resume
  localparam act_t AskAgain    = 7'h39;  // swapped out by now
  localparam act_t Asked       = 7'h3a;
  localparam act_t Arm         = 7'h3b;  // the time of the next grant
  localparam act_t Armed       = 7'h3c;
  localparam act_t Leave       = 7'h3d;
  localparam act_t Grant       = 7'h3e;
  localparam act_t Granting    = 7'h3f;
  localparam act_t Won         = 7'h40;
  localparam act_t GrantTo     = 7'h41;
  localparam act_t Enter       = 7'h42;
  localparam act_t SwapDone    = 7'h43;

  // ---- npu_top_tables ----
  localparam act_t Effect      = 7'h44;
  localparam act_t TableLooked = 7'h45;
  localparam act_t Load        = 7'h46;
  localparam act_t Loaded      = 7'h47;
  localparam act_t Access      = 7'h48;
  localparam act_t Released    = 7'h49;
  localparam act_t Wake        = 7'h4a;
  localparam act_t Woken       = 7'h4b;
  localparam act_t WokenBack   = 7'h4c;
  localparam act_t Waited      = 7'h4d;
  localparam act_t Parked      = 7'h4e;
  localparam act_t Forget      = 7'h4f;

  // ---- npu_top_engines ----
  localparam act_t Dispatch    = 7'h50;
  localparam act_t Admit       = 7'h51;
  localparam act_t Acquired    = 7'h52;
  localparam act_t Start       = 7'h53;
  localparam act_t Started     = 7'h54;
  localparam act_t Move        = 7'h55;
  localparam act_t Apply       = 7'h56;
  localparam act_t Applied     = 7'h57;
  localparam act_t Store       = 7'h58;
  localparam act_t Stored      = 7'h59;
  localparam act_t FreeChannel = 7'h5a;
  localparam act_t Freed       = 7'h5b;
  localparam act_t NextSetUp   = 7'h5c;
  localparam act_t Back        = 7'h5d;
  localparam act_t Unshare     = 7'h5e;
  localparam act_t ShareNext   = 7'h5f;
  localparam act_t ShareGive   = 7'h60;
  localparam act_t ShareBack   = 7'h61;
  localparam act_t Limit       = 7'h62;
  localparam act_t Limited     = 7'h63;

  // ---- calls of blocks: a request, then its answer; the operation holds ----
  localparam act_t CallTimer   = 7'h6c;  // operation: Timer…
  localparam act_t CallLink    = 7'h6d;  // operation: Link…
  localparam act_t CallFront   = 7'h6e;  // operation: npu_front_end_pkg::Op…
  localparam act_t FrontRsp    = 7'h6f;
  localparam act_t CallSqe     = 7'h70;  // operation: npu_sqe_pkg::Op…, SqeFault
  localparam act_t SqeRsp      = 7'h71;
  localparam act_t CallAsking  = 7'h72;  // who asks for a slot; operation: Arb…
  localparam act_t AskingRsp   = 7'h73;
  localparam act_t CallSlots   = 7'h74;  // operation: Slots…
  localparam act_t SlotsRsp    = 7'h75;
  localparam act_t CallTable   = 7'h76;  // operation: Table…, with TableNotifies or without
  localparam act_t TableRsp    = 7'h77;
  localparam act_t CallClass   = 7'h78;  // who waits for a share; operation: Arb…
  localparam act_t ClassRsp    = 7'h79;
  localparam act_t CallPool    = 7'h7a;  // operation: Pool…
  localparam act_t PoolRsp     = 7'h7b;
  localparam act_t LinkRsp     = 7'h7c;  // of bursts

  // ---- operations ----

  localparam int unsigned OpWidth = 5;
  typedef logic [OpWidth-1:0] op_t;

  localparam op_t TimerOff    = 5'd0;
  localparam op_t TimerSlots  = 5'd1;  // to what npu_slots has said
  localparam op_t TimerArrive = 5'd2;  // to when an SQE becomes visible, now if one is
  localparam op_t TimerDue    = 5'd3;  // to what npu_sqe has said

  localparam op_t LinkStart = 5'd1;
  localparam op_t LinkEnd   = 5'd0;
  localparam op_t LinkRun   = 5'd2;  // bursts, to the present time

  localparam op_t SqeFault = 5'd16;  // with OpFail: a bus fault, else a bad SQE

  localparam op_t ArbAdd    = 5'd0;
  localparam op_t ArbRemove = 5'd1;
  localparam op_t ArbTake   = 5'd2;

  localparam op_t SlotsClear   = 5'd0;
  localparam op_t SlotsLeaving = 5'd2;
  localparam op_t SlotsNext    = 5'd3;
  localparam op_t SlotsGrant   = 5'd4;
  localparam op_t SlotsLeave   = 5'd5;

  localparam op_t TableRead     = 5'd0;
  localparam op_t TableWait     = 5'd1;
  localparam op_t TableRecord   = 5'd2;
  localparam op_t TableClear    = 5'd3;
  localparam op_t TableForget   = 5'd4;
  localparam op_t TableLoad     = 5'd5;
  localparam op_t TableNotifies = 5'd8;

  localparam op_t PoolAcquire = 5'd0;
  localparam op_t PoolRelease = 5'd1;
  localparam op_t PoolWait    = 5'd2;
  localparam op_t PoolForget  = 5'd3;

  // ---- whose turn it is: the queue that the next act looks at ----

  localparam int unsigned TurnWidth = 3;
  typedef logic [TurnWidth-1:0] turn_t;

  // 0: the same
  localparam turn_t TurnMain   = 3'd1;  // that of the step again
  localparam turn_t TurnAsking = 3'd2;  // the winner of a slot
  localparam turn_t TurnTable  = 3'd3;  // the one that a table releases
  localparam turn_t TurnClass  = 3'd4;  // the winner of a share
  localparam turn_t TurnPool   = 3'd5;  // the one that gets the channel

  // ---- the outcome of an act ----

  /// Zeros where there is nothing to say: the outcomes of all modules are joined by OR.
  typedef struct packed {
    act_t       next;      // follows
    op_t        op;        // of the call that follows
    act_t       then_act;  // follows when that one has returned
    act_t       after;     // follows when that one has
    turn_t      turn;
    // of the queue that is looked at, npu_top_pkg::Q… and Step…; 0: stays as it is
    logic [3:0] state;
    logic [4:0] step;
  } outcome_t;

endpackage
